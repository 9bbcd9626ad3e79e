// The column of a list with the address of the member of the staff who made the row.
import { type Column, cutWords } from '../../../ui/columns.ts';
import { say } from '../../../words/say.ts';
import { PersonLink } from './person-link.tsx';

/** An address leads to the record of the person (R-FIND-02). What is no address, for example the operator, stays a text. */
export const listByColumn = <Row extends { created_by: string | null }>(): Column<Row> => ({
  label: say('By'),
  as: 'line',
  words: ({ created_by }) => cutWords(created_by ?? '-', 40),
  draw: ({ created_by }, { text }) =>
    created_by?.includes('@') ? <PersonLink to={created_by}>{text}</PersonLink> : text,
  awayOnTablets: true,
});
