/** Access tokens and signed-in devices of the user. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload, useData } from '../api/data.js'
import { session } from '../api/session.js'
import { Dialog } from '../shell/dialog.js'
import { Field } from '../shell/fields.js'
import { Icon } from '../shell/icons.js'
import { Chip, Empty, Note, Show } from '../shell/notes.js'
import { inWords, Time } from '../shell/time.js'
import { attempt, explain, toast } from '../shell/toast.js'
import { fill, words } from '../words/index.js'
import { moreWords } from '../words/more.js'
import { SettingsFrame } from './settings.js'

type Token = Schemas['Token']

const KEY = 'tokens'
const useTokens = () => useData(KEY, () => body(api.GET('/v1/user/tokens', { params: { query: { limit: 1000 } } })))

/** The screen of access tokens. */
export function Tokens() {
  const w = moreWords().settings
  const tokens = useTokens()
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <SettingsFrame title={words().common.tokens}>
      <p class="ink2">{w.tokensLead}</p>
      {secret !== null && <NewSecret secret={secret} onDone={() => setSecret(null)} />}
      <CreateToken onCreated={setSecret} />
      <Show data={tokens} retry={() => void reload(KEY)}>
        {({ items }) => <TokenList tokens={items.filter((one) => !one.session)} none={w.noTokens} />}
      </Show>
    </SettingsFrame>
  )
}

/** The screen of signed-in devices. */
export function Devices() {
  const w = moreWords().settings
  const tokens = useTokens()
  return (
    <SettingsFrame title={words().common.devices}>
      <p class="ink2">{w.devicesLead}</p>
      <Show data={tokens} retry={() => void reload(KEY)}>
        {({ items }) => <TokenList tokens={items.filter((one) => one.session)} none={w.noDevices} />}
      </Show>
    </SettingsFrame>
  )
}

/** The secret of a new token, which is shown once. */
function NewSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  const w = words()
  const copy = async (): Promise<void> => {
    if (await attempt(() => navigator.clipboard.writeText(secret))) toast(w.common.copied)
  }
  return (
    <Note
      tone="good"
      actions={
        <>
          <button type="button" class="btn small primary" onClick={() => void copy()}>
            <Icon name="copy" />
            {w.common.copy}
          </button>
          <button type="button" class="btn small" onClick={onDone}>
            {moreWords().settings.secretKept}
          </button>
        </>
      }
    >
      <p role="status">
        <b>{moreWords().settings.secretTitle}</b> {moreWords().settings.secretLead}
      </p>
      <p>
        <code class="wrap">{secret}</code>
      </p>
    </Note>
  )
}

const DAYS = [7, 30, 90, 365]
const DAY_MS = 86_400_000

/** Returns the time of expiry after a number of days. */
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()

function CreateToken({ onCreated }: { onCreated: (secret: string) => void }) {
  const w = moreWords().settings
  const [label, setLabel] = useState('')
  const [days, setDays] = useState('')
  // A token lasts at most as long as the session that creates it.
  const end = session.value?.token.expiresAt
  const offered = DAYS.filter((one) => end === undefined || inDays(one) < end)
  const [readOnly, setReadOnly] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const create = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (label.trim() === '') return setError(w.labelNeeded)
    const expiresAt = days === '' ? {} : { expiresAt: inDays(Number(days)) }
    try {
      const { token } = await body(api.POST('/v1/user/tokens', { body: { label, readOnly, ...expiresAt } }))
      setLabel('')
      setError(null)
      onCreated(token)
      await reload(KEY)
    } catch (thrown) {
      setError(explain(thrown))
    }
  }
  return (
    <form class="panel" onSubmit={create} noValidate>
      <div class="pb stack">
        <h2 class="h">{w.newToken}</h2>
        <Field label={w.label} help={w.labelHelp} error={error}>
          {(field) => (
            <input
              {...field}
              class="in"
              required
              maxLength={100}
              value={label}
              onInput={(event) => setLabel(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label={w.expires} help={end === undefined ? undefined : w.expiresHelp}>
          {(field) => (
            <select {...field} class="in auto" value={days} onChange={(event) => setDays(event.currentTarget.value)}>
              <option value="">{end === undefined ? w.never : fill(w.withSession, { time: inWords(end) })}</option>
              {offered.map((one) => (
                <option key={one} value={one}>
                  {fill(w.inDays, { days: one })}
                </option>
              ))}
            </select>
          )}
        </Field>
        <label class="check">
          <input type="checkbox" checked={readOnly} onChange={(event) => setReadOnly(event.currentTarget.checked)} />
          {w.readOnly}
        </label>
        <div>
          <button type="submit" class="btn primary">
            {w.create}
          </button>
        </div>
      </div>
    </form>
  )
}

function TokenList({ tokens, none }: { tokens: readonly Token[]; none: string }) {
  const w = moreWords().settings
  const [asked, setAsked] = useState<Token | null>(null)
  const own = session.value?.token.id
  if (tokens.length === 0)
    return (
      <div class="panel">
        <Empty icon="key" title={none} />
      </div>
    )
  return (
    <>
      <ul class="list panel">
        {tokens.map((token) => (
          <li key={token.id}>
            <Icon name={token.session ? 'desktop' : 'key'} />
            <div class="grow">
              <b>{token.label}</b>
              <div class="d">
                {w.created} <Time iso={token.createdAt} />
                {token.expiresAt !== undefined && (
                  <>
                    {' · '}
                    {w.until} <Time iso={token.expiresAt} />
                  </>
                )}
              </div>
            </div>
            {token.readOnly && <Chip icon="eye">{w.onlyReads}</Chip>}
            {token.id === own ? (
              <Chip tone="on" icon="check">
                {w.thisDevice}
              </Chip>
            ) : (
              <button
                type="button"
                class="btn small danger"
                aria-label={fill(w.revokeNamed, { label: token.label })}
                onClick={() => setAsked(token)}
              >
                {w.revoke}
              </button>
            )}
          </li>
        ))}
      </ul>
      {asked && <Revoke token={asked} onDone={() => setAsked(null)} />}
    </>
  )
}

/** Asks before a token is revoked, because that cannot be undone. */
function Revoke({ token, onDone }: { token: Token; onDone: () => void }) {
  const w = words()
  const revoke = async (): Promise<void> => {
    const path = { tokenId: token.id }
    if (await attempt(() => body(api.DELETE('/v1/user/tokens/{tokenId}', { params: { path } })))) {
      toast(fill(moreWords().settings.revoked, { label: token.label }))
      await reload(KEY)
    }
    onDone()
  }
  return (
    <Dialog
      title={fill(moreWords().settings.revokeTitle, { label: token.label })}
      onClose={onDone}
      footer={
        <div class="row">
          <button type="button" class="btn danger" onClick={() => void revoke()}>
            {moreWords().settings.revoke}
          </button>
          <button type="button" class="btn quiet" onClick={onDone}>
            {w.common.cancel}
          </button>
        </div>
      }
    >
      <div>
        <p>{token.session ? moreWords().settings.revokeSession : moreWords().settings.revokeToken}</p>
      </div>
    </Dialog>
  )
}
