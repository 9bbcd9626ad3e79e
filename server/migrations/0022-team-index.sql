-- no transaction
-- Validates the constraint of 0021, and creates the index of the owners, outside of a transaction. So people can sign in
-- and redeem meanwhile. An index left by an interrupted run is dropped before.
alter table app_user validate constraint app_user_team;
drop index concurrently if exists app_user_owner;
create index concurrently app_user_owner on app_user (id) where team_role = 'owner';
