-- no transaction
-- The list of people can be sorted by name (R-DAY-12).

-- An interrupted migration may have left an invalid index.
drop index concurrently if exists app_user_name;
create index concurrently app_user_name on app_user (lower(name) collate "C", id);
comment on index app_user_name is 'Sorts the list of people by name.';
