-- The list of people can be sorted by name (R-DAY-12).

create index app_user_name on app_user (lower(name) collate "C", id);
comment on index app_user_name is 'Sorts the list of people by name.';
