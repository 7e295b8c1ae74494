import { type ApiResponse, type Call, insertPage, updatePage } from './client.js'

interface KnownChangeRequest {
  number: number
  subject: string
  /** The acknowledged revisions of its branch. */
  edits: string[]
  /** The revision that merged it, if the merge was acknowledged. */
  merged: string | null
}

/** Everything that the server has acknowledged, over all its runs. */
export interface Ledger {
  space: string
  page: string
  acknowledged: number
  onMain: string[]
  changeRequests: Map<string, KnownChangeRequest>
  /** A setting's value as last acknowledged and as last requested. If the response never came, it may be either. */
  settings: Record<string, { acknowledged: string; asked: string }>
  tokens: string[]
}

/** A space to write in. */
export async function newLedger(call: Call, organization: string): Promise<Ledger> {
  const space = (await call('POST', `/v1/orgs/${organization}/spaces`, { title: 'Killed', emoji: '📖' })).body
    .id as string
  const { body } = await call('POST', `/v1/spaces/${space}/content`, insertPage('Page', 'Begin'))
  return {
    space,
    page: body.changes[0].page,
    acknowledged: 2,
    onMain: [body.revision],
    changeRequests: new Map(),
    settings: { title: { acknowledged: 'Killed', asked: 'Killed' } },
    tokens: [],
  }
}

let turn = 0

/** Writes with this number of clients until the server stops. Resolves when all clients have noticed. */
export async function startWriters(call: Call, ledger: Ledger, count: number): Promise<void> {
  const base = `/v1/spaces/${ledger.space}`
  const kinds: (() => Promise<void>)[] = [
    () => editMain(call, base, ledger),
    () => title(call, base, ledger),
    () => token(call, ledger),
    () => lifeOfChangeRequest(call, base, ledger),
  ]
  const client = async (work: () => Promise<void>): Promise<void> => {
    for (;;) {
      try {
        await work()
      } catch (error) {
        // undici's message for a broken connection: the server is gone
        if (error instanceof TypeError) return
        throw error
      }
    }
  }
  // Each setting has one writer, so that the last acknowledged value is known.
  const shared = [0, 0, 2, 3, 3, 3, 3]
  await Promise.all([
    client(kinds[1] as () => Promise<void>),
    ...shared.slice(0, count - 1).map((kind) => client(kinds[kind] as () => Promise<void>)),
  ])
}

function accepted(ledger: Ledger, response: ApiResponse, status: number): boolean {
  // 409: another client was faster. 503: the server is stopping.
  if (![status, 409, 503].includes(response.status))
    throw new Error(`${response.status} ${JSON.stringify(response.body)}`)
  if (response.status !== status) return false
  ledger.acknowledged++
  return true
}

async function editMain(call: Call, base: string, ledger: Ledger): Promise<void> {
  const response = await call('POST', `${base}/content`, updatePage(ledger.page, `Edit ${++turn}\n`))
  if (accepted(ledger, response, 200)) ledger.onMain.push(response.body.revision)
}

async function title(call: Call, base: string, ledger: Ledger): Promise<void> {
  const setting = ledger.settings.title as { acknowledged: string; asked: string }
  setting.asked = `Title ${++turn}`
  if (accepted(ledger, await call('PATCH', base, { title: setting.asked }), 200)) setting.acknowledged = setting.asked
}

async function token(call: Call, ledger: Ledger): Promise<void> {
  const response = await call('POST', '/v1/user/tokens', { label: `Token ${++turn}` })
  if (accepted(ledger, response, 201)) ledger.tokens.push(response.body.token)
}

/** Created, written to, and merged. */
async function lifeOfChangeRequest(call: Call, base: string, ledger: Ledger): Promise<void> {
  const mine = ++turn
  const subject = `Change ${mine}`
  const made = await call('POST', `${base}/change-requests`, { subject })
  if (!accepted(ledger, made, 201)) return
  const known: KnownChangeRequest = { number: made.body.number, subject, edits: [], merged: null }
  ledger.changeRequests.set(made.body.id, known)
  for (const change of [insertPage(`Page ${mine}`, 'First'), insertPage(`Other ${mine}`, 'Second')]) {
    const written = await call('POST', `${base}/change-requests/${known.number}/content`, change)
    if (accepted(ledger, written, 200)) known.edits.push(written.body.revision)
  }
  const merged = await call('POST', `${base}/change-requests/${known.number}/merge`)
  if (!accepted(ledger, merged, 200)) return
  known.merged = merged.body.revision
  ledger.onMain.push(merged.body.revision)
}
