// Shown while a screen's own file is on its way.
import { useLocation } from 'wouter';
import { StatusLine } from '../ui/status-line.tsx';

export function ScreenLoading() {
  const [path] = useLocation();
  return (
    <main id="main" tabIndex={-1} className="wrap flex-[1_0_auto] pt-[clamp(1rem,3vw,2.25rem)]">
      <StatusLine>{path.startsWith('/product/') ? 'Loading product details...' : 'Loading...'}</StatusLine>
    </main>
  );
}
