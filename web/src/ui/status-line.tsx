// A line with a spinner and the reason for the wait. `data-loading` makes main.css show the footer only after the wait.
import type { ReactNode } from 'react';
import { Spinner } from './spinner.tsx';

export function StatusLine({ children }: { children: ReactNode }) {
  return (
    <p
      className="inline-flex animate-late items-center gap-2.5 text-md text-ink-2"
      role="status"
      data-loading=""
    >
      <Spinner />
      {children}
    </p>
  );
}
