-- The language that a sign-in mail is written in: that of the browser which asked for it.
alter table auth_mail add column language text not null default 'en';
