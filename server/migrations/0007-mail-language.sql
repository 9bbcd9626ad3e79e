-- The language in which a sign-in mail is written. It is the language of the visitor who requested the mail.
alter table auth_mail add column language text not null default 'en';
