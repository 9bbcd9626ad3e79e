// A link to the page of a product.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import admin from '../admin.module.css';

/** A link in a row of a list that names the product (R-FIND-02). Every role may open the page. */
export function ProductLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link href={`/admin/products/${to}`} className={admin.rowLink} dir="auto">
      {children}
    </Link>
  );
}
