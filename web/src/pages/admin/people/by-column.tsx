// The column of a list with the address of the member of the staff who made the row.
import { type Column, cutWords } from '../../../ui/columns.ts';
import { say } from '../../../words/say.ts';
import { PersonLink } from './person-link.tsx';

/**
 * An address leads to the record of the person (R-FIND-02). Any other actor stays a text: the operator, and an API key
 * ('key:' and its name), also if its name looks like an address.
 */
export const listByColumn = <Row extends { created_by: string | null }>(): Column<Row> => ({
  label: say('By'),
  as: 'line',
  words: ({ created_by }) => cutWords(created_by ?? '-', 40),
  draw: ({ created_by }, { text }) =>
    created_by?.includes('@') && !created_by.startsWith('key:') ? (
      <PersonLink to={created_by}>{text}</PersonLink>
    ) : (
      text
    ),
  awayOnTablets: true,
});
