-- Last low-stock alert of each product, so that each level is sent once: 'low', then 'empty'.
create table stock_notice (
  product_id uuid primary key references product (product_id),
  level      text not null check (level in ('low', 'empty')),
  sent_at    timestamptz not null
);
