// The rosette on a piece of a ticket.
import paper from './paper.module.css';
import { Rosette } from './rosette.tsx';

export function TicketPrint({ id }: { id: string }) {
  return (
    <span className={paper.print}>
      <Rosette id={id} size={240} detail="fine" />
    </span>
  );
}
