-- The last low-stock alert that was sent for each product, so that no alert is sent twice. The alert 'low' comes first,
-- and the alert 'empty' when no code is left.
create table stock_notice (
  product_id uuid primary key references product (product_id),
  level      text not null check (level in ('low', 'empty')),
  sent_at    timestamptz not null
);
