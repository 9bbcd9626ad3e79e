-- Stores for each user that the mail server refuses mails to the address for good. The next sign-in by mail, and staff,
-- clear it.

call lock_exclusively('app_user');

alter table app_user
  add column mail_refused_at     timestamptz,
  add column mail_refused_reason text;                   -- the words of the mail server
