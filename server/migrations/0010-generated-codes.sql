-- The number of codes that the portal generated for blank rows of a coupon file. The column `success` includes them.
alter table import_job add column generated integer not null default 0;
