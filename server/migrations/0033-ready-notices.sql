-- People who are to be told by mail that benefits are theirs (R-INV-01). One row for each upload, or form, and person. A
-- mail tells of all rows of a person that are due, so one mail may end several rows.
create table ready_notice (
  id          bigint generated always as identity primary key,
  user_id     bigint not null references app_user (id),
  product_ids uuid[] not null,                          -- the products that the person did not have before
  due_on      date not null,                            -- the first day on which the person has them
  import_id   uuid references import_job (id),          -- null: the form of one person
  language    text not null,
  created_at  timestamptz not null default now(),
  state       text not null default 'queued' check (state in ('queued', 'sent', 'failed', 'cancelled')),
  mail_id     bigint,                                   -- the job of the mail
  words       text,                                     -- why no mail was sent
  ended_at    timestamptz,
  check ((state = 'queued') = (ended_at is null))
);
create index ready_notice_person on ready_notice (user_id, state, ended_at);
create index ready_notice_import on ready_notice (import_id, state) where import_id is not null;
