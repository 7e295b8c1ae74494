/** Access to a repository: the credentials of each host, and where to get them. */
import type { Schemas } from '../api/client.js'
import { AreaField, CheckField, type Form, TextField } from './form.js'
import type { Provider } from './connection-words.js'
import { adminWords } from './words.js'

export type Credential = Schemas['ConnectionCredential']
export type CredentialKind = Credential['kind']

/** The entered values, for every kind of credential. Only the fields of the selected kind are sent. */
export interface EnteredCredential {
  kind: CredentialKind
  token: string
  username: string
  password: string
  privateKey: string
  knownHosts: string
  appId: string
  installationId: string
}

/** Nothing entered yet. */
export const noCredential = (kind: CredentialKind = 'token'): EnteredCredential => ({
  kind,
  token: '',
  username: '',
  password: '',
  privateKey: '',
  knownHosts: '',
  appId: '',
  installationId: '',
})

/** The credential in the form that the API accepts. */
export function credentialOf(entered: EnteredCredential): Credential {
  const { kind, token, username, password, privateKey, knownHosts, appId, installationId } = entered
  switch (kind) {
    case 'none':
      return { kind }
    case 'token':
    case 'gitlabProjectToken':
      return { kind, token }
    case 'basic':
      return { kind, username, password }
    case 'sshKey':
      return { kind, privateKey, ...(knownHosts === '' ? {} : { knownHosts }) }
    case 'githubApp':
      return { kind, appId, installationId, privateKey }
  }
}

/** The kinds of credentials that suit an address. */
export function kindsFor(provider: Provider, url: string): readonly CredentialKind[] {
  if (/^(ssh:|[^/]+@[^/]+:)/.test(url)) return ['sshKey']
  return [
    'none',
    'token',
    ...(provider === 'gitlab' ? (['gitlabProjectToken'] as const) : []),
    'basic',
    ...(provider === 'github' ? (['githubApp'] as const) : []),
  ]
}

/** Renders the choice of a kind of credential, and its fields. */
export function CredentialFields({
  provider,
  url,
  value,
  onChange,
  form,
}: {
  provider: Provider
  url: string
  value: EnteredCredential
  onChange: (value: EnteredCredential) => void
  form: Form
}) {
  const w = adminWords().credential
  const kinds = kindsFor(provider, url)
  const kind = kinds.includes(value.kind) ? value.kind : (kinds[0] ?? 'none')
  const set = (changes: Partial<EnteredCredential>) => onChange({ ...value, kind, ...changes })
  return (
    <div class="stack">
      <fieldset class="stack s">
        <legend class="lab">{w.how}</legend>
        {kinds.map((one) => (
          <CheckField
            key={one}
            type="radio"
            name="credential"
            checked={kind === one}
            onChange={() => set({ kind: one })}
          >
            {w.kinds[one].name} <span class="muted">{w.kinds[one].means}</span>
          </CheckField>
        ))}
      </fieldset>
      {(kind === 'token' || kind === 'gitlabProjectToken') && (
        <TextField
          label={w.token}
          help={w.where[provider]}
          error={form.error('credential/token') ?? form.error('credential')}
          value={value.token}
          onInput={(token) => set({ token })}
          type="password"
          mono
          required
        />
      )}
      {kind === 'basic' && (
        <>
          <TextField
            label={w.username}
            error={form.error('credential/username')}
            value={value.username}
            onInput={(username) => set({ username })}
            required
          />
          <TextField
            label={w.password}
            error={form.error('credential/password') ?? form.error('credential')}
            value={value.password}
            onInput={(password) => set({ password })}
            type="password"
            required
          />
        </>
      )}
      {kind === 'githubApp' && (
        <>
          <TextField
            label={w.appId}
            help={w.appHelp}
            error={form.error('credential/appId')}
            value={value.appId}
            onInput={(appId) => set({ appId })}
            mono
            required
          />
          <TextField
            label={w.installationId}
            error={form.error('credential/installationId')}
            value={value.installationId}
            onInput={(installationId) => set({ installationId })}
            mono
            required
          />
        </>
      )}
      {(kind === 'githubApp' || kind === 'sshKey') && (
        <AreaField
          label={w.privateKey}
          help={kind === 'sshKey' ? w.sshHelp : w.appKeyHelp}
          error={form.error('credential/privateKey') ?? form.error('credential')}
          value={value.privateKey}
          onInput={(privateKey) => set({ privateKey })}
          rows={5}
          mono
          required
        />
      )}
      {kind === 'sshKey' && (
        <AreaField
          label={w.knownHosts}
          help={w.knownHostsHelp}
          error={form.error('credential/knownHosts')}
          value={value.knownHosts}
          onInput={(knownHosts) => set({ knownHosts })}
          rows={2}
          mono
        />
      )}
    </div>
  )
}
