// A button that shows other rows of a list.
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

type PageButtonProps = { onPress: (() => void) | undefined; children: ReactNode };

/** The button is not `disabled`, so that a clicked button keeps the focus on the first and last page. */
export function PageButton({ onPress, children }: PageButtonProps) {
  return (
    <Button size="sm" aria-disabled={!onPress} onClick={onPress}>
      {children}
    </Button>
  );
}
