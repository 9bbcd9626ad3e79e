-- What administrators were told of a product's stock, so that each is told once: 'low', then 'empty'.
create table stock_notice (
  product_id uuid primary key references product (product_id),
  level      text not null check (level in ('low', 'empty')),
  sent_at    timestamptz not null
);
