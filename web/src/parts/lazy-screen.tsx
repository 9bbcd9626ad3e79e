// Screens that are fetched when they are needed, and what to do when they cannot be. Not React.lazy: Suspense holds
// what it reveals back for 300 ms once its fallback has been seen.
import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react';
import { showToast } from '../ui/toast-store.ts';
import { say } from '../words/say.ts';
import { ScreenFailed } from './screen-failed.tsx';
import { ScreenLoading } from './screen-loading.tsx';

type Load<Props> = () => Promise<ComponentType<Props>>;

/**
 * A screen loaded on first use, or ahead of it by its `load`. When its file cannot be fetched, a page that offers to
 * reload takes its place.
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
 * A dialog loaded on first use, or ahead of it by its `load`. When its file cannot be fetched it is closed, so that the
 * next press tries again.
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

/** A part loaded with the screen beside it, which reports a file that cannot be fetched. `place` keeps its room meanwhile. */
export function lazyPart<Props extends object>(load: Load<Props>, place: ReactNode) {
  const useLoaded = rememberLoaded(load);
  function LazyPart(props: Props) {
    const Loaded = useLoaded(() => undefined);
    return Loaded ? <Loaded {...props} /> : place;
  }
  return Object.assign(LazyPart, { load: useLoaded.load });
}

/** A hook that answers the component once it is here; one that was loaded before, by `load` too, is here at once. */
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
