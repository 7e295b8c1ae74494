/** A space with a few pages, and people with clones of it. */
import { mkdtemp, writeFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runCommand } from '../support/commands.js'
import { git, hermeticEnv } from '../support/hermetic-git.js'
import type { Caller, TestService } from '../support/service.js'

export const PAGES = [
  { operation: 'insert_page', title: 'Start', slug: 'start', document: { markdown: '# Start\n\nFirst words.\n' } },
  { operation: 'insert_page', title: 'Guide', slug: 'guide', document: { markdown: '# Guide\n\nHow to.\n' } },
]

/** Creates a space whose main has two pages. Returns its ID. */
export async function newSpace(here: TestService): Promise<string> {
  const { body: space } = await here.admin
    .call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs', editMode: 'live' })
    .expect(201)
  await here.admin.call('post', `/v1/spaces/${space.id}/content`, { changes: PAGES }).expect(200)
  return space.id
}

/** The outcome of a push, with all output that its user sees. */
export interface Seen {
  code: number | null
  text: string
}

/** A working copy of one person. */
export class Clone {
  private constructor(
    readonly dir: string,
    readonly origin: string,
  ) {}

  /** `settings`: configuration of the clone, such as `core.autocrlf=false`. */
  static async of(
    here: TestService,
    space: string,
    person: Caller,
    name = 'clone',
    settings: readonly string[] = [],
  ): Promise<Clone> {
    const dir = join(await mkdtemp(join(here.dir, 'work-')), name)
    const origin = addressOf(here, space, person)
    await git(here.dir, ['clone', '--quiet', ...settings.flatMap((one) => ['-c', one]), origin, dir])
    return new Clone(dir, origin)
  }

  git(...args: string[]): Promise<string> {
    return git(this.dir, args)
  }

  /** Runs Git and accepts any exit code. */
  async see(...args: string[]): Promise<Seen> {
    const { code, stdout, stderr } = await runCommand('git', args, { cwd: this.dir, env: hermeticEnv })
    return { code, text: `${stdout}\n${stderr}` }
  }

  /** Writes files (null = deletes), commits them, and returns the commit. */
  async commit(files: Record<string, string | null>, message = 'Change pages'): Promise<string> {
    for (const [path, text] of Object.entries(files)) {
      if (text === null) await this.git('rm', '--quiet', '--', path)
      else {
        await mkdir(dirname(join(this.dir, path)), { recursive: true })
        await writeFile(join(this.dir, path), text)
        await this.git('add', '--', path)
      }
    }
    await this.git('commit', '--quiet', '--allow-empty', '-m', message)
    return this.git('rev-parse', 'HEAD')
  }
}

/** The Git URL of a space, with the token as the password. */
export const addressOf = (here: TestService, space: string, { token }: Pick<Caller, 'token'>): string =>
  `${here.url.replace('http://', `http://git:${token}@`)}/git/${space}.git`
