import { ApiProblem } from '@prefixcast/client';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Clock } from './design/behaviour/now.tsx';
import { Shortcuts } from './design/behaviour/shortcuts.tsx';
import { preloadPage, router } from './routes.tsx';
import { passes } from './service/passing.ts';
import { isSignedOut, sessionQuery } from './service/session.ts';
import './design/shown/tokens.css';
import './design/shown/base.css';

const ATTEMPTS = 3;
/** Who has to wait for longer sees why, and a countdown. */
const LONGEST_SILENT_PAUSE_MILLISECONDS = 5_000;

function pauseOf(attempt: number, error: Error): number {
  const asked = error instanceof ApiProblem ? error.retryAfterSeconds : null;
  return (asked ?? 2 ** attempt) * 1_000;
}

/** A session that has ended shows in whatever is asked first; then it is asked for again, which leads to the sign-in. */
function noticeEnd(error: Error): void {
  if (isSignedOut(error)) void queries.resetQueries({ queryKey: sessionQuery.queryKey });
  // Another tab has signed in since: the next write has its token.
  else if (error instanceof ApiProblem && error.code === 'csrf_failed')
    void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      if (queryKey[0] !== sessionQuery.queryKey[0]) noticeEnd(error);
    },
  }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, { options }) => {
      if (options.meta?.isSignIn !== true) noticeEnd(error);
    },
  }),
  defaultOptions: {
    // A browser that believes itself offline may reach the service all the same: one on this machine, or behind a tunnel. Waiting for
    // it to change its mind would be a page that loads for ever, without a request and without a word.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      // Events say what is stale.
      staleTime: 30_000,
      retry: (failures, error) =>
        passes(error) && failures < ATTEMPTS && pauseOf(failures, error) <= LONGEST_SILENT_PAUSE_MILLISECONDS,
      retryDelay: pauseOf,
    },
  },
});

// What the first page needs beside this script is asked for before anything is drawn, and not when it is needed.
void queries.prefetchQuery(sessionQuery);
preloadPage();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Clock>
        <Shortcuts>
          <RouterProvider router={router} />
        </Shortcuts>
      </Clock>
    </QueryClientProvider>
  </StrictMode>,
);
