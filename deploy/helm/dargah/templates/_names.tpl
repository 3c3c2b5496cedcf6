{{- define "dargah.name" -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end }}

{{- define "dargah.labels" -}}
{{ include "dargah.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "dargah.selector" -}}
app.kubernetes.io/name: dargah
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "dargah.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* Where the environment comes from; the same for the gateways and the migration. */}}
{{- define "dargah.envFrom" -}}
{{- if not (or .Values.secrets .Values.secretValues.DATABASE_URL .Values.env.DATABASE_URL) }}
{{- fail "set secrets (names of secrets that exist) or secretValues.DATABASE_URL: without a shared database every gateway would keep one of its own" }}
{{- end }}
{{- range .Values.secrets }}
- secretRef: { name: {{ . }} }
{{- end }}
{{- if .Values.secretValues }}
- secretRef: { name: {{ include "dargah.name" . }} }
{{- end }}
{{- end }}

{{- define "dargah.env" -}}
- { name: DARGAH_DATA_DIR, value: /data }
{{- if .Values.config }}
- { name: DARGAH_CONFIG, value: /config/dargah.yaml }
{{- end }}
{{- include "dargah.plainEnv" . }}
{{- end }}

{{/* What .Values.env names; the migration needs it too: the database may be reached only with what stands there. */}}
{{- define "dargah.plainEnv" -}}
{{- range $name, $value := .Values.env }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{- define "dargah.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "dargah.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
