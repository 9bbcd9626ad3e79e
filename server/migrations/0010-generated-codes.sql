-- How many blank rows of a file of codes were given a code of the portal's making; `success` counts them too.
alter table import_job add column generated integer not null default 0;
