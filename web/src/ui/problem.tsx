// An error message next to its control.
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

export function Problem({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} role="alert" className="flex items-start gap-1.5 text-sm text-danger-text">
      <Icon of={CircleAlert} size={16} className="mt-0.5" />
      {children}
    </p>
  );
}
