-- Products have a category, a value, terms, perks, a place on the learner's home, and a logo (R-CAT-01 to R-CAT-31). All of it
-- is optional, so that processes of the version before go on adding and editing products.
call lock_exclusively('product');

alter table product
  add column category text,
  add column value text,
  add column terms text,
  add column perks text[],
  add column position integer not null default 0;
comment on column product.category is 'what learners filter by, as staff typed it';
comment on column product.value is 'what the benefit is worth, as staff typed it, such as ''worth 240 €''';
comment on column product.terms is 'the partner''s terms, one a line';
comment on column product.perks is 'up to three short advantages; null: the perks of the brand';
comment on column product.position is 'place on the learner''s home; products with the same number are ordered by name';

create table product_logo (
  product_id uuid primary key references product (product_id) on delete cascade,
  media_type text not null check (media_type in ('image/png', 'image/jpeg', 'image/webp')),
  bytes bytea not null check (octet_length(bytes) <= 200000),
  sha256 text not null,
  width integer not null,
  height integer not null,
  at timestamptz not null
);
comment on table product_logo is 'The picture of a product. A table of its own, so that no list of products reads the bytes.';
comment on column product_logo.sha256 is 'hash of the bytes in hexadecimal; part of the picture''s address, which changes with the picture';
comment on column product_logo.width is 'in pixels; height: the same';
