// ARIA roles of a table's parts. The roles are explicit, because browsers drop the implicit roles if CSS changes
// `display`.

export const ROLE = {
  table: { role: 'table' },
  rows: { role: 'rowgroup' },
  row: { role: 'row' },
  head: { role: 'columnheader' },
  name: { role: 'rowheader' },
  cell: { role: 'cell' },
};
