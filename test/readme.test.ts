import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import * as assert from 'uvu/assert'
import { settingsTable } from '../src/config.js'
import { startService } from './support/service.js'
import { suite } from './support/suite.js'

const README = new URL('../README.md', import.meta.url)
const TEAMS = new URL('../docs/teams.md', import.meta.url)
const SETTINGS = new URL('../docs/settings.md', import.meta.url)
const test = suite('README')

for (const shell of ['bash', 'zsh'])
  test(`the commands in the README and in the team guide work when pasted into ${shell}`, async () => walkIn(shell))

async function walkIn(shell: string): Promise<void> {
  const here = await startService()
  try {
    await writeFile(`${here.dir}/data/admin-token`, here.admin.token)
    const walk = `${await readFile(README, 'utf8')}\n${await readFile(TEAMS, 'utf8')}`
    const blocks = [...walk.matchAll(/^```bash\n([\s\S]*?)^```$/gm)].map((match) => match[1])
    assert.ok(blocks.length >= 5)
    const { stdout } = await promisify(execFile)(shell, ['-euo', 'pipefail', '-c', blocks.join('\n')], {
      cwd: here.dir,
      env: { ...process.env, BINDERY: here.url },
      timeout: 280_000,
    })
    assert.match(
      stdout,
      /success[\s\S]*\[ 'Acme', 'Guides' \][\s\S]*Run `acme`\.[\s\S]*merge\n\[[^\]]*page_created[^\]]*\]\nsuccess\n/,
    )
    assert.match(
      stdout,
      /Explain upgrades\n .gitbook\/assets\/dot.png[^\n]*\n SUMMARY.md +\| +1 \+\n guides\/install.md[^\n]*\n guides\/upgrade.md[^\n]*\n 4 files changed/,
    )
    assert.match(
      stdout,
      /merge\n\[ 'guides\/install.md' \]\n\[ \[ 'guides\/install.md', 'content', 'Run `acme`.' \] \]\nupdate\nmerge\n/,
    )
    assert.match(
      stdout,
      /true\n\[ \[ '[^']+', 'admin' \], \[ 'Wanda', 'review' \] \]\n1\nBetter\.\n[^\n]*approv[^\n]*\napproved\nmerge\nrules\n\[ 'required_approvals', 'require_change_request_subject' \]\nnone\ntrue\n1\n/,
    )
    assert.match(stdout, /remote: Change request 4 opened[\s\S]*\[ 'page_edited' \]\nmerge\n/)
    assert.match(stdout, /acme --setup --verbose\nmerge\nacme --quiet\nOpen http/)
    assert.match(stdout, /Merge change request #3: Say it longer[\s\S]*Merge change request #1: Explain upgrades/)
  } finally {
    await here.close()
  }
}

test('the table of settings matches the code', async () => {
  const text = await readFile(SETTINGS, 'utf8')
  const all = settingsTable()
  const table = [...new Set(all.map(({ group }) => group))]
    .map((heading) =>
      [
        `## ${heading}`,
        '',
        '| setting | default | what it is |',
        '|---|---|---|',
        ...all
          .filter(({ group }) => group === heading)
          .map((row) => `| \`${row.name}\` | ${row.default === '' ? '' : `\`${row.default}\``} | ${row.description} |`),
      ].join('\n'),
    )
    .join('\n\n')
  const section = `<!-- settings -->\n${table}\n<!-- /settings -->`
  if (process.env.UPDATE_GOLDEN === '1' && !process.env.CI)
    await writeFile(
      SETTINGS,
      text.replace(/<!-- settings -->[\s\S]*<!-- \/settings -->/, () => section),
    )
  assert.ok((await readFile(SETTINGS, 'utf8')).includes(section), 'run with UPDATE_GOLDEN=1 to write the table')
})

test.run()
