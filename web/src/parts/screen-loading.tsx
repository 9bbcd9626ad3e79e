// Shown while the JavaScript of a screen is loading.
import { useLocation } from 'wouter';
import { classes } from '../ui/classes.ts';
import { StatusLine } from '../ui/status-line.tsx';
import { say } from '../words/say.ts';
import { SCREEN_TOP } from './page.tsx';

export function ScreenLoading() {
  const [path] = useLocation();
  const isProduct = path.startsWith('/product/');
  return (
    <div className={classes('wrap', SCREEN_TOP)}>
      <StatusLine>{isProduct ? say('Loading product details...') : say('Loading...')}</StatusLine>
    </div>
  );
}
