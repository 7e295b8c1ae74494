/** A service that imports without pauses, and helpers for tests of imports. */
import { startService, type TestService } from '../support/service.js'
import { git } from '../support/hermetic-git.js'

export interface Importing extends TestService {
  /** Creates a space with one page. */
  space(): Promise<string>
  /** Returns the files of a revision of a space. */
  files(space: string, revision?: string): Promise<string[]>
  file(space: string, path: string, revision?: string): Promise<string>
}

export async function startImporting(env: Record<string, string> = {}): Promise<Importing> {
  const here = await startService({ env: { BINDERY_IMPORT_DELAY_MS: '0', BINDERY_IMPORT_WAIT_SECONDS: '55', ...env } })
  const repo = (space: string): string => `${here.dir}/repos/${space}.git`
  return Object.assign(Object.create(here) as TestService, {
    space: async () =>
      (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs' }).expect(201)).body
        .id as string,
    files: async (space: string, revision = 'main') =>
      (await git(repo(space), ['ls-tree', '-r', '--name-only', '-z', revision]))
        .split('\0')
        .filter((one) => one !== ''),
    file: async (space: string, path: string, revision = 'main') => git(repo(space), ['show', `${revision}:${path}`]),
  })
}
