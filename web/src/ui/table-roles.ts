// ARIA roles of a table's parts. They are written out, because browsers drop them where rows are blocks, as on phones.

export const ROLE = {
  table: { role: 'table' },
  rows: { role: 'rowgroup' },
  row: { role: 'row' },
  head: { role: 'columnheader' },
  name: { role: 'rowheader' },
  cell: { role: 'cell' },
};
