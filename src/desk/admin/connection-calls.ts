/** The requests about connections that several screens make. */
import { api, body, type Schemas } from '../api/client.js'
import { reload, useData } from '../api/data.js'

export type Connection = Schemas['Connection']
export type Run = Schemas['GitRun']
export type Direction = Connection['direction']

const at = ({ space, id }: { space: string; id: string }) => ({
  params: { path: { spaceId: space, connectionId: id } },
})

/** Reads the connections of a space. */
export const useConnections = (spaceId: string) =>
  useData(
    `space/${spaceId}/connections`,
    async () =>
      (await body(api.GET('/v1/spaces/{spaceId}/git/connections', { params: { path: { spaceId }, query: {} } }))).items,
  )

/** Reads the connections of a space, and their runs, again. */
export const reloadConnections = (spaceId: string): Promise<void> => reload(`space/${spaceId}/connections`)

/** Reads a connection. */
export const readConnection = (connection: { space: string; id: string }): Promise<Connection> =>
  body(api.GET('/v1/spaces/{spaceId}/git/connections/{connectionId}', at(connection)))

/** Connects a space. A paused connection runs when it is resumed. */
export const connect = (
  spaceId: string,
  input: { url: string; ref: string; credential: Schemas['ConnectionCredential'] } & Partial<
    Pick<Connection, 'direction' | 'paused' | 'repoProjectDirectory' | 'exportMode'>
  >,
): Promise<Connection> =>
  body(
    api.POST('/v1/spaces/{spaceId}/git/connections', {
      params: { path: { spaceId } },
      body: { ...input, ref: fullRef(input.ref) },
    }),
  )

/** Changes a connection. */
export const changeConnection = (
  connection: { space: string; id: string },
  changes: Partial<Schemas['UpdateConnection']>,
): Promise<Connection> =>
  body(
    api.PATCH('/v1/spaces/{spaceId}/git/connections/{connectionId}', {
      ...at(connection),
      body: { ...changes, ...(changes.ref === undefined ? {} : { ref: fullRef(changes.ref) }) },
    }),
  )

/** Tests a connection. */
export const testConnection = (connection: Connection) =>
  body(api.POST('/v1/spaces/{spaceId}/git/connections/{connectionId}/test', at(connection)))

/** Reads the branches of the repository. Fails with the reason if it cannot be read. */
export const branchesOf = (connection: { space: string; id: string }) =>
  body(api.GET('/v1/spaces/{spaceId}/git/connections/{connectionId}/branches', at(connection)))

/** Starts what is due: `run` syncs now, `retry` repeats the last run. */
export async function act(
  connection: { space: string; id: string },
  action: 'pause' | 'resume' | 'retry' | 'cancel',
): Promise<void> {
  await body<unknown>(api.POST(`/v1/spaces/{spaceId}/git/connections/{connectionId}/${action}`, at(connection)))
}

/** Syncs now. With `force`, one side replaces the other. */
export async function syncNow(
  connection: Connection,
  options: { direction?: 'import' | 'export'; force?: boolean } = {},
): Promise<void> {
  await body(
    api.POST('/v1/spaces/{spaceId}/git/connections/{connectionId}/run', {
      ...at(connection),
      body: { force: false, ...options },
    }),
  )
}

/** Deletes a connection. Both sides keep their content. */
export async function disconnect(connection: { space: string; id: string }): Promise<void> {
  await body(api.DELETE('/v1/spaces/{spaceId}/git/connections/{connectionId}', at(connection)))
}

/** Whether a run has ended. */
export const isOver = ({ state }: Run): boolean => state !== 'queued' && state !== 'running'

/** The name of a branch as Git stores it. */
const fullRef = (name: string): string => (name.startsWith('refs/') ? name : `refs/heads/${name}`)

/** The name of a branch without the prefix `refs/heads/`. */
export const branchName = (ref: string): string => ref.replace(/^refs\/heads\//, '')
