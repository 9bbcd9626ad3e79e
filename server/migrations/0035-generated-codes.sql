-- The codes that the portal generated, whose partner may not know them yet, so that staff can list them (R-IMP-15). A
-- table of its own, because a column of `coupon` would make each redemption more expensive. It has no foreign key: codes
-- are never deleted, and adding the key would lock `coupon` while the existing codes are looked up. Codes that processes
-- of the previous version generate during the upgrade are not listed.
create table generated_code (coupon_id bigint primary key);

insert into generated_code (coupon_id)
  select c.id from coupon_batch b join coupon c on c.batch_id = b.id where b.source = 'generated'
  union
  select coupon_id from audit where action = 'coupon.create' and detail ->> 'made_up' = 'true' and coupon_id is not null
  union
  select c.id from import_row r join import_job j on j.id = r.import_id
    join coupon c on c.product_id = any(j.product_ids) and c.coupon_code = r.cells[1]
  where r.kind = 'generated';
