-- The language of a sign-in mail: the language of the browser that requested the mail.
alter table auth_mail add column language text not null default 'en';
