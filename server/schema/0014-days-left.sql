-- How long the codes of a product last (R-FUN-05, R-FUN-06, R-FUN-08). A job counts, and pages read.
call lock_exclusively('product');

create table stock_forecast (
  product_id uuid primary key references product (product_id),
  counted_at timestamptz not null,
  day date not null,
  without_code integer not null,
  assigned integer not null,
  handed_out integer,
  expiring_first integer not null default 0,
  expires_on date,
  alerted_at timestamptz
);
comment on table stock_forecast is 'The last count for the forecast of each product that learners can redeem and that has no shared code.
  A job counts again, because counting reads all people and grants.';
comment on column stock_forecast.day is 'the day of the count in the portal''s time zone';
comment on column stock_forecast.without_code is 'people with access on that day who never held a code of the product';
comment on column stock_forecast.assigned is 'codes of the product that were held or revoked at the count';
comment on column stock_forecast.handed_out is
  'codes that were redeemed or issued in the last 14 full days in UTC; null if there are too few to forecast';
comment on column stock_forecast.expiring_first is
  'free codes that expire before they are handed out at this pace; expires_on: the first day on which some expire';
comment on column stock_forecast.alerted_at is
  'when the alert that the codes last less than 14 days was sent; null again after they lasted more than 21 days';

create function forecast_stock(p product, free integer, assigned integer, today date)
returns table (without_code integer, short integer, pace double precision, days_left integer, expiring_first integer,
  expires_on date, forecast_at timestamptz) language sql stable as $$
  select waiting.n, greatest(0, waiting.n - free), round(f.handed_out / 14.0, 1)::double precision,
    case when status.is_live then floor(14 * greatest(0, free - f.expiring_first) / f.handed_out::numeric)::integer end,
    case when status.is_live and f.handed_out is not null then least(f.expiring_first, free) end,
    case when status.is_live and free > 0 then f.expires_on end, f.counted_at
  from stock_forecast f cross join lateral (
    select greatest(0, f.without_code - greatest(0, forecast_stock.assigned - f.assigned)) as n) waiting
  cross join lateral (select product_status(p, today) = 'live' as is_live) status
  where f.product_id = p.product_id and product_status(p, today) not in ('archived', 'ended')
$$;
comment on function forecast_stock is
  'Returns the forecast of a product from its last count and its present counters: how many codes are free, and how many
  were ever assigned. No row: there is no count yet, the product is over, or it has a shared code. Each code that was
  assigned since the count is taken as the code of a person who had none. `short`: codes that are missing if each person
  with access redeems. `pace`: codes a day; null: too few redemptions. `days_left` leaves out the codes that
  expire first. `days_left` and `expiring_first` are null without a pace, and while nobody can redeem.';
