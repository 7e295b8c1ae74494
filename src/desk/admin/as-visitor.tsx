/** Shows a site as a visitor with chosen claims sees it, and keeps the list of claims. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload, useData } from '../api/data.js'
import { Icon } from '../shell/icons.js'
import { Note, Show } from '../shell/notes.js'
import { attempt } from '../shell/toast.js'
import { fill, language } from '../words/index.js'
import { CheckField, FormError, Submit, TextField, useForm } from './form.js'
import { type Site, sitePath } from './site.js'
import { adminWords } from './words.js'

type Schema = Schemas['SiteAdaptiveJSONSchema']

/** A claim of the schema: of a token, or of the browser. */
interface Claim {
  name: string
  isUnsigned: boolean
}

const claimsOf = ({ properties: { unsigned, ...signed } }: Schema): Claim[] => [
  ...Object.keys(signed).map((name) => ({ name, isUnsigned: false })),
  ...Object.keys(unsigned?.properties ?? {}).map((name) => ({ name, isUnsigned: true })),
]

const nameOf = ({ name, isUnsigned }: Claim): string => (isUnsigned ? `unsigned.${name}` : name)

/** Draws the claims, the button that makes the preview, and for admins the form that declares claims. */
export function AsVisitor({ site }: { site: Site }) {
  const w = adminWords().visitors
  const schema = useData(`sites/${site.id}/schema`, () =>
    body(api.GET('/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema', { params: { path: sitePath(site) } })),
  )
  return (
    <section class="panel" aria-labelledby="as-visitor">
      <div class="ph">
        <h2 class="h grow" id="as-visitor">
          {w.imitate}
        </h2>
      </div>
      <div class="pb stack">
        <p class="sm muted">{w.imitateHelp}</p>
        {site.adaptiveContent.enabled ? (
          <Show data={schema} lines={3}>
            {({ jsonSchema }) => (
              <>
                <Imitate site={site} claims={claimsOf(jsonSchema)} />
                {site.permissions.admin && <Declare site={site} schema={jsonSchema} />}
              </>
            )}
          </Show>
        ) : (
          <p>
            {w.noClaimsYet} <a href={`/sites/${site.id}/settings`}>{w.toSettings}</a>
          </p>
        )}
      </div>
    </section>
  )
}

function Imitate({ site, claims }: { site: Site; claims: readonly Claim[] }) {
  const w = adminWords().visitors
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [made, setMade] = useState<Schemas['SitePreview'] | null>(null)
  const valuesOf = (isUnsigned: boolean): Record<string, boolean> =>
    Object.fromEntries(
      claims.filter((one) => one.isUnsigned === isUnsigned).map((one) => [one.name, chosen.includes(nameOf(one))]),
    )
  const form = useForm(async () => {
    const input = { signed: valuesOf(false), unsigned: valuesOf(true) }
    const params = { path: sitePath(site) }
    setMade(await body(api.POST('/v1/orgs/{organizationId}/sites/{siteId}/preview', { params, body: input })))
  })
  const choose = (name: string, isOn: boolean): void => {
    setChosen(isOn ? [...chosen, name] : chosen.filter((one) => one !== name))
    setMade(null)
  }
  return (
    <form class="stack" onSubmit={form.submit}>
      {claims.length === 0 ? (
        <p>{w.noClaims}</p>
      ) : (
        <fieldset class="stack s">
          <legend class="lab">{w.claimsAre}</legend>
          {claims.map((claim) => {
            const name = nameOf(claim)
            return (
              <CheckField key={name} checked={chosen.includes(name)} onChange={(isOn) => choose(name, isOn)}>
                <code>{name}</code> {claim.isUnsigned && <span class="muted">{w.ofBrowser}</span>}
              </CheckField>
            )
          })}
        </fieldset>
      )}
      <FormError form={form} />
      <div class="row wrap">
        <Submit form={form} small>
          {w.makePreview}
        </Submit>
      </div>
      {made && (
        <Note
          tone="good"
          actions={
            <a class="btn small" href={made.url} target="_blank" rel="noopener">
              <Icon name="eye" />
              {w.openPreview}
            </a>
          }
        >
          <p>{fill(w.previewMade, { time: new Date(made.expiresAt).toLocaleString(language.value) })}</p>
        </Note>
      )}
    </form>
  )
}

function Declare({ site, schema }: { site: Site; schema: Schema }) {
  const w = adminWords().visitors
  const [name, setName] = useState('')
  const [isUnsigned, setUnsigned] = useState(false)
  const save = async (next: Schema): Promise<void> => {
    const params = { path: sitePath(site) }
    await body(
      api.PUT('/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema', { params, body: { jsonSchema: next } }),
    )
    await reload(`sites/${site.id}/schema`)
  }
  const form = useForm(async () => {
    await save(withClaim(schema, { name, isUnsigned }))
    setName('')
  })
  const claims = claimsOf(schema)
  return (
    <details>
      <summary>{w.declare}</summary>
      <div class="stack pt">
        {claims.length > 0 && (
          <ul class="list panel sm">
            {claims.map((claim) => (
              <li key={nameOf(claim)}>
                <code class="grow">{nameOf(claim)}</code>
                <button
                  type="button"
                  class="btn small quiet"
                  aria-label={fill(w.removeClaim, { name: nameOf(claim) })}
                  onClick={() => attempt(() => save(withoutClaim(schema, claim)))}
                >
                  {w.remove}
                </button>
              </li>
            ))}
          </ul>
        )}
        <form class="stack s" onSubmit={form.submit}>
          <TextField label={w.claim} help={w.claimHelp} value={name} onInput={setName} mono required />
          <CheckField checked={isUnsigned} onChange={setUnsigned}>
            {w.byBrowser}
          </CheckField>
          <FormError form={form} />
          <div class="row">
            <Submit form={form} small>
              {w.addClaim}
            </Submit>
          </div>
        </form>
      </div>
    </details>
  )
}

const NO_CLAIMS = { type: 'object', properties: {}, additionalProperties: false } as const

/** Returns the schema with another claim. */
function withClaim(schema: Schema, { name, isUnsigned }: Claim): Schema {
  const next = structuredClone(schema)
  const { unsigned = structuredClone(NO_CLAIMS) } = next.properties
  Object.assign(isUnsigned ? unsigned.properties : next.properties, { [name]: { type: 'boolean' } })
  Object.assign(next.properties, { unsigned })
  return next
}

/** Returns the schema without a claim. Everything else stays, also descriptions. */
function withoutClaim(schema: Schema, { name, isUnsigned }: Claim): Schema {
  const next = structuredClone(schema)
  const claims = isUnsigned ? next.properties.unsigned?.properties : next.properties
  if (claims) Reflect.deleteProperty(claims, name)
  return next
}
