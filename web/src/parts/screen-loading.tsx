// Shown while a screen's own file is on its way.
import { useLocation } from 'wouter';
import { StatusLine } from '../ui/status-line.tsx';

export function ScreenLoading() {
  const [path] = useLocation();
  return (
    <div className="wrap pt-[clamp(1rem,3vw,2.25rem)]">
      <StatusLine>{path.startsWith('/product/') ? 'Loading product details...' : 'Loading...'}</StatusLine>
    </div>
  );
}
