-- Staff can tell people about new benefits after an action on many people (R-DAY-36). Until then, the notices are held.
call lock_exclusively('ready_notice');
alter table ready_notice
  drop constraint ready_notice_state_check,
  drop constraint ready_notice_check,
  add constraint ready_notice_state_check check (state in ('held', 'queued', 'sent', 'failed', 'cancelled')),
  add constraint ready_notice_check check ((state in ('held', 'queued')) = (ended_at is null));
comment on column ready_notice.state is
  'held: staff have not told the person, and may do so later; queued: a mail will announce the products';
