-- Counts the changes of a person's address, name, phone number and role in the team. An edit that was made from an older
-- version is refused, so it cannot undo a change that somebody else made meanwhile (N-317). A trigger raises the version,
-- because files, forms and processes of the previous version change these columns too.

call lock_exclusively('app_user');

alter table app_user add column version integer not null default 1;

create function raise_person_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end $$;
create trigger app_user_has_version before update of email, name, phone_number, team_role on app_user
  for each row when ((old.email, old.name, old.phone_number, old.team_role)
    is distinct from (new.email, new.name, new.phone_number, new.team_role))
  execute function raise_person_version();
