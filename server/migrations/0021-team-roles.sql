-- Adds the roles of the team. Each administrator of the previous version becomes an owner.

call lock_exclusively('app_user');

-- `user_role` stays, because calls return it: 'admin' for everybody with a role in the team.
alter table app_user
  add column team_role    text,                          -- null for learners
  add column invited_at   timestamptz,                   -- the last invitation to the team
  add column invited_by   text,
  add column left_team_at timestamptz;                   -- the removal from the team; ADMIN_EMAILS then gives no role
update app_user set team_role = 'owner' where user_role = 'admin';
-- 0022 validates the constraint.
alter table app_user add constraint app_user_team check (
  case when user_role = 'admin' then team_role is not null and team_role in ('viewer', 'support', 'manager', 'owner')
       else team_role is null end) not valid;
