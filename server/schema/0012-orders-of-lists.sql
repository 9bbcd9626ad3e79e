-- The list of people can be sorted by the last sign-in (R-DAY-12). Processes of the version before do not know the new
-- table, so triggers write it. The next migration adds the people of today.
call lock_exclusively('app_user', 'auth_user');

create table person_sign_in (
  person_id bigint primary key references app_user (id) on delete cascade,
  at timestamptz
);
comment on table person_sign_in is 'The last sign-in of each person: auth_user.last_sign_in_at of the user with the person''s
  address, or null. Sorts the list of people. A table of its own, because a sign-in must not wait for a person whose row
  staff have locked.';
create index person_sign_in_order on person_sign_in (at, person_id);

create function add_person_sign_in() returns trigger language plpgsql as $$
begin
  insert into person_sign_in (person_id, at)
  select a.id, s.last_sign_in_at from added a left join auth_user s on s.email = a.email
  on conflict do nothing;
  return null;
end $$;
create trigger app_user_added_has_sign_in after insert on app_user referencing new table as added
  for each statement execute function add_person_sign_in();

create function move_person_sign_in() returns trigger language plpgsql as $$
begin
  update person_sign_in set at = (select s.last_sign_in_at from auth_user s where s.email = new.email)
  where person_id = new.id;
  return null;
end $$;
create trigger app_user_moved_has_sign_in after update of email on app_user
  for each row when (old.email is distinct from new.email) execute function move_person_sign_in();

create function note_sign_in() returns trigger language plpgsql as $$
begin
  -- Only an edit of the person's address locks the row. It may wait for the row of auth_user, so waiting here would be a
  -- deadlock. The edit sets the time that belongs to the new address.
  update person_sign_in set at = new.last_sign_in_at
  where person_id = (
    select l.person_id from app_user u join person_sign_in l on l.person_id = u.id
    where u.email = new.email for update of l skip locked);
  return null;
end $$;
create trigger auth_user_signed_in after insert or update of last_sign_in_at on auth_user
  for each row execute function note_sign_in();
