/** The settings of a site: address, visibility and deletion. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { FormError, Submit, TextField, useForm } from '../admin/form.js'
import { CopyAddress } from '../admin/invite-people.js'
import { useQuestion } from '../admin/question.js'
import { changeSite, PublishButton, type Site, SiteFrame, sitePath } from '../admin/site.js'
import { SuggestionsField, VisibilityField } from '../admin/site-visibility.js'
import { adminWords } from '../admin/words.js'
import { open } from '../route.js'
import { Switch } from '../shell/fields.js'
import { Icon } from '../shell/icons.js'
import { attempt, toast } from '../shell/toast.js'
import { fill } from '../words/index.js'

export const SiteSettings = ({ site = '' }: { site?: string }) => (
  <SiteFrame id={site} part="settings" end={(one) => <PublishButton site={one} />}>
    {(one) => <Settings key={one.id} site={one} />}
  </SiteFrame>
)

function Settings({ site }: { site: Site }) {
  const w = adminWords().site
  const [title, setTitle] = useState(site.title)
  const [visibility, setVisibility] = useState<Schemas['Site']['visibility']>(site.visibility)
  const [basename, setBasename] = useState(site.basename ?? '')
  const [hostname, setHostname] = useState(site.hostname ?? '')
  const [proxy, setProxy] = useState(site.proxy?.origin.replace(/^https?:\/\//, '') ?? '')
  const [ask, question] = useQuestion()
  const form = useForm(async () => {
    await changeSite(site, {
      title,
      visibility,
      ...(basename === '' ? {} : { basename }),
      hostname: hostname === '' ? null : hostname,
      proxy: proxy === '' ? null : proxy,
    })
    toast(w.saved)
  })
  const remove = () =>
    ask({
      title: fill(w.deleteTitle, { site: site.title }),
      text: w.deleteText,
      button: w.delete,
      run: async () => {
        const params = { path: sitePath(site) }
        await body(api.DELETE('/v1/orgs/{organizationId}/sites/{siteId}', { params }))
        await reload(`orgs/${site.organization}/sites`)
        open(`/o/${site.organization}/settings/sites`)
      },
    })
  return (
    <div class="wide stack">
      <h1 class="title">{w.parts.settings}</h1>
      <div class="mid stack l">
        {site.urls.published !== undefined && (
          <section class="stack s">
            <h2 class="lab">{w.address}</h2>
            <CopyAddress label={w.address} address={site.urls.published} />
          </section>
        )}
        <form class="panel" onSubmit={form.submit}>
          <div class="pb stack">
            <TextField
              label={adminWords().sites.name}
              error={form.error('title')}
              value={title}
              onInput={setTitle}
              required
            />
            <VisibilityField value={visibility} onChange={setVisibility} error={form.error('visibility')} />
            <TextField
              label={w.basename}
              help={w.basenameHelp}
              error={form.error('basename')}
              value={basename}
              onInput={setBasename}
              mono
            />
            <TextField
              label={w.hostname}
              help={w.hostnameHelp}
              error={form.error('hostname')}
              value={hostname}
              onInput={setHostname}
              mono
              placeholder="docs.example.com"
            />
            <TextField
              label={w.proxy}
              help={site.proxy ? fill(w.proxyTarget, { target: site.proxy.target }) : w.proxyHelp}
              error={form.error('proxy')}
              value={proxy}
              onInput={setProxy}
              mono
              placeholder="example.com/docs"
            />
            <FormError form={form} />
            {site.permissions.admin && (
              <div class="row">
                <Submit form={form}>{w.save}</Submit>
              </div>
            )}
          </div>
        </form>
        {site.permissions.admin && (
          <section class="panel">
            <div class="pb stack">
              <Switch
                checked={site.agentsContext === 'included'}
                onChange={(isOn) => attempt(() => changeSite(site, { agentsContext: isOn ? 'included' : 'excluded' }))}
              >
                {w.agents}
              </Switch>
              <Switch
                checked={site.adaptiveContent.enabled}
                onChange={(enabled) => attempt(() => changeSite(site, { adaptiveContent: { enabled } }))}
              >
                {w.adaptive}
              </Switch>
              <Switch
                checked={site.provenance.enabled}
                onChange={(enabled) => attempt(() => changeSite(site, { provenance: { enabled } }))}
              >
                {w.provenance}
              </Switch>
              <Switch
                checked={site.changesSince}
                onChange={(changesSince) => attempt(() => changeSite(site, { changesSince }))}
              >
                {w.changesSince}
              </Switch>
              <Switch
                checked={site.pastVersions}
                onChange={(pastVersions) => attempt(() => changeSite(site, { pastVersions }))}
              >
                <span>
                  {w.pastVersions} <span class="muted">{w.pastVersionsMeans}</span>
                </span>
              </Switch>
              <SuggestionsField
                value={site.suggestions}
                onChange={(suggestions) => attempt(() => changeSite(site, { suggestions }))}
              />
            </div>
          </section>
        )}
        {site.permissions.admin && (
          <section class="panel">
            <div class="pb row wrap">
              <div class="grow">
                <h2 class="h">{w.delete}</h2>
                <p class="help">{w.deleteHelp}</p>
              </div>
              <button type="button" class="btn danger" onClick={remove}>
                <Icon name="trash" />
                {w.delete}
              </button>
            </div>
          </section>
        )}
        {question}
      </div>
    </div>
  )
}
