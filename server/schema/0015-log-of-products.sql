-- no transaction
-- The log of a product has one entry for what one job or one press did (R-DAY-40).

-- An interrupted migration may have left invalid indexes.
drop index concurrently if exists audit_product_entry;
create index concurrently audit_product_entry on audit (product_id, id) where product_id is not null and group_id is null;
comment on index audit_product_entry is 'Finds the lines about a product that are in no group.';
drop index concurrently if exists audit_product_group;
create index concurrently audit_product_group on audit (product_id, group_id, id)
  where product_id is not null and group_id is not null;
comment on index audit_product_group is 'Finds the groups with lines about a product, one after the other.';
