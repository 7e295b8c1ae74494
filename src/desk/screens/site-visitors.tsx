/** The visitor settings of a site: share links, sign-in, and preview as a visitor. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload, useData } from '../api/data.js'
import { AsVisitor } from '../admin/as-visitor.js'
import { FormError, Submit, TextField, useForm } from '../admin/form.js'
import { CopyAddress } from '../admin/invite-people.js'
import { ListEnd, usePages } from '../admin/lists.js'
import { useQuestion } from '../admin/question.js'
import { type Site, SiteFrame, sitePath } from '../admin/site.js'
import { adminWords } from '../admin/words.js'
import { Switch } from '../shell/fields.js'
import { Icon } from '../shell/icons.js'
import { Note, Show } from '../shell/notes.js'
import { Time } from '../shell/time.js'
import { attempt, toast } from '../shell/toast.js'
import { fill } from '../words/index.js'

type ShareLink = Schemas['ShareLink']

export function SiteVisitors({ site = '' }: { site?: string }) {
  const w = adminWords().visitors
  return (
    <SiteFrame id={site} part="visitors">
      {(one) => (
        <div class="wide stack">
          <h1 class="title">{adminWords().site.parts.visitors}</h1>
          <div class="mid stack l">
            <section class="panel" aria-labelledby="audience">
              <div class="ph">
                <h2 class="h grow" id="audience">
                  {w.audience}
                </h2>
                <a class="btn small" href={`/sites/${one.id}/settings`}>
                  {w.change}
                </a>
              </div>
              <div class="pb stack s">
                <p>
                  <b>{adminWords().sites.visibilities[one.visibility].name}</b>,{' '}
                  {adminWords().sites.visibilities[one.visibility].means}
                </p>
                <p class="sm muted">{w.asVisitor}</p>
                <div class="row">
                  <a class="btn small" href={one.urls.preview} target="_blank" rel="noopener">
                    <Icon name="eye" />
                    {adminWords().site.asVisitor}
                  </a>
                </div>
              </div>
            </section>
            {one.permissions.edit && <AsVisitor site={one} />}
            <ShareLinks site={one} />
            {one.visibility === 'visitor-auth' && one.permissions.admin && <SignIn site={one} />}
          </div>
        </div>
      )}
    </SiteFrame>
  )
}

function ShareLinks({ site }: { site: Site }) {
  const w = adminWords().visitors
  const [ask, question] = useQuestion()
  const [name, setName] = useState('')
  const path = sitePath(site)
  const key = `sites/${site.id}/share-links`
  const list = usePages<ShareLink>(key, (query) =>
    body(api.GET('/v1/orgs/{organizationId}/sites/{siteId}/share-links', { params: { path, query } })),
  )
  const form = useForm(async () => {
    await body(api.POST('/v1/orgs/{organizationId}/sites/{siteId}/share-links', { params: { path }, body: { name } }))
    setName('')
    await reload(key)
  })
  const at = (link: ShareLink) => ({ params: { path: { ...path, shareLinkId: link.id } } })
  const setActive = (link: ShareLink, active: boolean) =>
    attempt(async () => {
      await body(
        api.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}', {
          ...at(link),
          body: { active },
        }),
      )
      await reload(key)
    })
  const remove = (link: ShareLink) =>
    ask({
      title: fill(w.removeTitle, { name: link.name }),
      text: w.removeText,
      button: w.remove,
      run: async () => {
        await body(api.DELETE('/v1/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}', at(link)))
        await reload(key)
      },
    })
  const mayEdit = site.permissions.edit
  return (
    <section class="stack s" aria-labelledby="links">
      <h2 class="h" id="links">
        {w.links}
      </h2>
      <p class="sm muted">{w.linksHelp}</p>
      {mayEdit && (
        <form class="panel" onSubmit={form.submit}>
          <div class="pb stack">
            <TextField
              label={w.name}
              help={w.nameHelp}
              error={form.error('name')}
              value={name}
              onInput={setName}
              required
            />
            <FormError form={form} />
            <div class="row">
              <Submit form={form} small>
                {w.make}
              </Submit>
            </div>
          </div>
        </form>
      )}
      <Show data={list.data} lines={2}>
        {({ items }) =>
          items.length > 0 && (
            <>
              <ul class="list panel">
                {items.map((link) => (
                  <li key={link.id}>
                    <Icon name="link" />
                    <div class="grow stack s">
                      <div>
                        <b>{link.name}</b>{' '}
                        <span class="muted sm">
                          <Time iso={link.createdAt} />
                        </span>
                      </div>
                      {link.urls.published !== undefined && (
                        <CopyAddress label={fill(w.addressOf, { name: link.name })} address={link.urls.published} />
                      )}
                    </div>
                    {mayEdit && (
                      <>
                        <Switch checked={link.active} onChange={(active) => setActive(link, active)}>
                          {w.active}
                        </Switch>
                        <button type="button" class="btn small quiet" onClick={() => remove(link)}>
                          {w.remove}
                        </button>
                      </>
                    )}
                  </li>
                ))}
              </ul>
              <ListEnd of={list} />
            </>
          )
        }
      </Show>
      {question}
    </section>
  )
}

/** The visitor sign-in at the team's server, which signs a token. */
function SignIn({ site }: { site: Site }) {
  const auth = useData(`sites/${site.id}/auth`, () =>
    body(api.GET('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', { params: { path: sitePath(site) } })),
  )
  return <Show data={auth}>{(value) => <SignInForm site={site} auth={value} />}</Show>
}

function SignInForm({ site, auth }: { site: Site; auth: Schemas['SitePublishingAuth'] }) {
  const w = adminWords().visitors
  const [fallback, setFallback] = useState(auth.fallbackURL ?? '')
  const [audience, setAudience] = useState(auth.audience ?? '')
  const [issuer, setIssuer] = useState(auth.issuer ?? '')
  const [key, setKey] = useState<string | null>(null)
  const [ask, question] = useQuestion()
  const params = { path: sitePath(site) }
  const form = useForm(async () => {
    const changes = { fallbackURL: fallback || null, audience: audience || null, issuer: issuer || null }
    await body(api.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', { params, body: changes }))
    await reload(`sites/${site.id}/auth`)
    toast(w.signInSaved)
  })
  const replaceKey = () =>
    ask({
      title: w.keyTitle,
      text: w.keyText,
      button: w.newKey,
      run: async () => {
        const made = await body(
          api.POST('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth/regenerate', { params }),
        )
        setKey(made.privateKey ?? '')
      },
    })
  return (
    <form class="panel" aria-labelledby="sign-in" onSubmit={form.submit}>
      <div class="ph">
        <h2 class="h" id="sign-in">
          {w.signIn}
        </h2>
      </div>
      <div class="pb stack">
        <TextField
          label={w.fallback}
          help={w.fallbackHelp}
          error={form.error('fallbackURL')}
          value={fallback}
          onInput={setFallback}
          type="url"
          mono
        />
        <TextField label={w.tokenAudience} error={form.error('audience')} value={audience} onInput={setAudience} mono />
        <TextField label={w.issuer} error={form.error('issuer')} value={issuer} onInput={setIssuer} mono />
        {key !== null && (
          <Note tone="good">
            <p>{w.keyOnce}</p>
            <CopyAddress label={w.key} address={key} />
          </Note>
        )}
        <FormError form={form} />
        <div class="row wrap">
          <Submit form={form} small>
            {adminWords().site.save}
          </Submit>
          <button type="button" class="btn small" onClick={replaceKey}>
            <Icon name="key" />
            {w.newKey}
          </button>
        </div>
      </div>
      {question}
    </form>
  )
}
