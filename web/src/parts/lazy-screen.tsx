// Loads screens, dialogs and parts of screens on demand, and handles failed loads. Does not use React.lazy, because
// Suspense delays the loaded content by 300 ms once its fallback was shown.
import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react';
import { showToast } from '../ui/toast-store.ts';
import { say } from '../words/say.ts';
import { ScreenFailed } from './screen-failed.tsx';
import { ScreenLoading } from './screen-loading.tsx';

type Load<Props> = () => Promise<ComponentType<Props>>;

/**
 * Returns a screen that is loaded on first use, or earlier by its `load`. If its file cannot be fetched, the screen
 * shows an error with a button to reload.
 */
export function lazyScreen<Props extends object>(load: Load<Props>) {
  const useLoaded = rememberLoaded(load);
  function LazyScreen(props: Props) {
    const [failed, setFailed] = useState(false);
    const Screen = useLoaded(() => setFailed(true));
    if (failed) {
      return (
        <ScreenFailed
          heading={say('This page did not load')}
          words={say('The connection may have been lost, or the portal was updated.')}
        />
      );
    }
    return Screen ? <Screen {...props} /> : <ScreenLoading />;
  }
  return Object.assign(LazyScreen, { load: useLoaded.load });
}

/**
 * Returns a dialog that is loaded on first use, or earlier by its `load`. If its file cannot be fetched, the dialog is
 * closed, so that opening it again retries.
 */
export function lazyDialog<Props extends { onClose: () => void }>(load: Load<Props>) {
  const useLoaded = rememberLoaded(load);
  function LazyDialog(props: Props) {
    const Loaded = useLoaded(() => {
      showToast({
        title: say('This did not load'),
        description: say('Please check your connection and try again.'),
        variant: 'destructive',
      });
      props.onClose();
    });
    return Loaded ? <Loaded {...props} /> : null;
  }
  return Object.assign(LazyDialog, { load: useLoaded.load });
}

/**
 * Returns a part of a screen that is loaded on demand; `place` is shown until then. A failed load is not reported
 * here, because the lazy screen of the same page reports it.
 */
export function lazyPart<Props extends object>(load: Load<Props>, place: ReactNode) {
  const useLoaded = rememberLoaded(load);
  function LazyPart(props: Props) {
    const Loaded = useLoaded(() => undefined);
    return Loaded ? <Loaded {...props} /> : place;
  }
  return Object.assign(LazyPart, { load: useLoaded.load });
}

/** Returns a hook. The hook returns the component, or undefined until it is loaded; `load` can load it earlier. */
function rememberLoaded<Props extends object>(load: Load<Props>) {
  let loaded: ComponentType<Props> | undefined;
  const keep = async () => {
    loaded = await load();
    return loaded;
  };
  function useLoaded(onFailure: () => void): ComponentType<Props> | undefined {
    const [component, setComponent] = useState(() => loaded);
    const fail = useRef(onFailure);
    useEffect(() => {
      fail.current = onFailure;
    });
    useEffect(() => {
      if (loaded) return;
      let left = false;
      keep().then(
        (arrived) => setComponent(() => arrived),
        () => !left && fail.current(),
      );
      return () => {
        left = true;
      };
    }, []);
    return component;
  }
  return Object.assign(useLoaded, { load: keep });
}
