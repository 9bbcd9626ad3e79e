// One line that says what is being waited for, spoken once; the footer waits too (main.css).
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
