-- A newer sign-in mail does not end the links and codes that were mailed in the minutes before (R-MAP-32): a mail server
-- may deliver two mails in the other order, and a person opens either. auth_one_time_token still has the newest mail of
-- each address; this table has the earlier ones. Deleting the row of an address ends its earlier links and codes too, also
-- when a process of the previous version deletes it.

-- The foreign key locks the table against writes.
call lock_exclusively('auth_one_time_token');
create table auth_earlier_token (
  link_hash             text primary key,
  email                 text not null references auth_one_time_token (email) on delete cascade,
  code_hash             text not null,
  code_tries            integer not null,
  code_challenge        text,
  code_challenge_method text,
  expires_at            timestamptz not null
);

create index auth_earlier_token_email on auth_earlier_token (email);
