// A list of facts about one thing, for example when it was added.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './facts.module.css';

export function Facts({ children }: { children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>;
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A fact that has a page. */
export function FactLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} className="inline-block text-accent-text underline underline-offset-[0.2em]" dir="auto">
      {children}
    </Link>
  );
}

// Today's date, for comparisons with days of the API.

/**
 * Returns today's date (YYYY-MM-DD) by the clock of the browser. Around midnight, the server may have another date: it
 * may then refuse a call, or count other codes.
 */
export function today(): string {
  const now = new Date();
  const [month, day] = [now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${now.getFullYear()}-${month}-${day}`;
}
