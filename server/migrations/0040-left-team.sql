-- Remembers by address who was removed from the team in the pages, or whose role moved to another address. ADMIN_EMAILS
-- does not make an owner of such an address. `app_user.left_team_at` did this by row, so a removal was forgotten as soon as
-- the address of the row was changed; processes of the previous version still write this column.

create table left_team (
  email   text primary key,
  left_at timestamptz not null default now()
);

insert into left_team (email, left_at) select email, left_team_at from app_user where left_team_at is not null;
-- Addresses that members of the team, and people who were removed, had before an edit.
insert into left_team (email)
  select distinct a.detail->'email'->>0 from app_user u join audit a on a.user_id = u.id
  where (u.user_role = 'admin' or u.left_team_at is not null) and a.action = 'user.edit' and a.detail ? 'email'
    and not exists (select from app_user o where o.email = a.detail->'email'->>0 and o.user_role = 'admin')
on conflict do nothing;
