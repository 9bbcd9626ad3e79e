// Shown while a screen's own file is on its way.
import { useLocation } from 'wouter';
import { classes } from '../ui/classes.ts';
import { StatusLine } from '../ui/status-line.tsx';
import { SCREEN_LOADING, SCREEN_TOP } from './page.tsx';

export function ScreenLoading() {
  const [path] = useLocation();
  return (
    <div className={classes('wrap', SCREEN_TOP, SCREEN_LOADING)}>
      <StatusLine>{path.startsWith('/product/') ? 'Loading product details...' : 'Loading...'}</StatusLine>
    </div>
  );
}
