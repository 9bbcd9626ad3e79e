-- Adds the codes that had expired before 0075 to the counter 'expired'. A file of its own: 0075 locks all codes, and this
-- may read a million. The triggers of 0075 have counted the codes that changed since. The codes and these counts are read
-- by one statement, so they are of one moment.

-- Blocks recounts until the end. A recount would not see the row that is added here, and would count its codes again.
lock table tally in row exclusive mode;

insert into tally_change (what, product_id, n)
  select 'expired', product_id, sum(n) from (
    select product_id, count(*) as n from coupon where voided_by is not null and void_reason = 'expired' group by product_id
    union all
    select product_id, -n from tally_now where what = 'expired'
  ) counts
  group by product_id having sum(n) <> 0;
