-- Number of blank rows in a coupon file for which the portal generated a code; `success` includes them.
alter table import_job add column generated integer not null default 0;
