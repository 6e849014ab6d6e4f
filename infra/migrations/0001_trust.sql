CREATE TABLE "restart_campaigns" (
	"cluster" text NOT NULL,
	"owner" text NOT NULL,
	"namespace" text NOT NULL,
	"template" text NOT NULL,
	"configuration_hash" text NOT NULL,
	"bundle_hash" text NOT NULL,
	"reason" text NOT NULL,
	"state" text NOT NULL,
	"known" text[] NOT NULL,
	"intent_uid" text NOT NULL,
	"intent_name" text NOT NULL,
	"count" integer NOT NULL,
	"turn_at" timestamp with time zone NOT NULL,
	"revision" integer NOT NULL,
	"changed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "restart_campaigns_cluster_owner_pk" PRIMARY KEY("cluster","owner")
);
--> statement-breakpoint
CREATE TABLE "restart_intents" (
	"cluster" text NOT NULL,
	"pod" text NOT NULL,
	"owner" text NOT NULL,
	"reason" text NOT NULL,
	"intended_at" timestamp with time zone NOT NULL,
	CONSTRAINT "restart_intents_cluster_pod_pk" PRIMARY KEY("cluster","pod")
);
--> statement-breakpoint
CREATE TABLE "restart_paces" (
	"cluster" text PRIMARY KEY NOT NULL,
	"next_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "trust_bundles_seen" (
	"cluster" text NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"since" timestamp with time zone NOT NULL,
	CONSTRAINT "trust_bundles_seen_cluster_name_pk" PRIMARY KEY("cluster","name")
);
--> statement-breakpoint
CREATE TABLE "image_claims" (
	"cluster" text collate "C" NOT NULL,
	"collection" text collate "C" NOT NULL,
	"holder" text NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	CONSTRAINT "image_claims_cluster_collection_pk" PRIMARY KEY("cluster","collection")
);
--> statement-breakpoint
CREATE TABLE "image_manifests" (
	"cluster" text collate "C" NOT NULL,
	"digest" text collate "C" NOT NULL,
	"children" text[] NOT NULL,
	"config" text,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "image_manifests_cluster_digest_pk" PRIMARY KEY("cluster","digest")
);
--> statement-breakpoint
CREATE TABLE "image_tags" (
	"cluster" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"digest" text NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "image_tags_cluster_name_pk" PRIMARY KEY("cluster","name")
);
--> statement-breakpoint
CREATE TABLE "image_verdicts" (
	"cluster" text collate "C" NOT NULL,
	"collection" text collate "C" NOT NULL,
	"tag" text collate "C" NOT NULL,
	"digest" text collate "C" NOT NULL,
	"verifier" text NOT NULL,
	"server" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"owner" text collate "C" NOT NULL,
	"root" text NOT NULL,
	"also" text[] NOT NULL,
	"judgement" json NOT NULL,
	"fresh_until" timestamp with time zone NOT NULL,
	"valid_until" timestamp with time zone NOT NULL,
	CONSTRAINT "image_verdicts_cluster_collection_tag_digest_pk" PRIMARY KEY("cluster","collection","tag","digest")
);
--> statement-breakpoint
CREATE TABLE "trust_anchors" (
	"cluster" text collate "C" NOT NULL,
	"server" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"owner" text collate "C" NOT NULL,
	"root" text NOT NULL,
	"anchor" text NOT NULL,
	"revision" integer NOT NULL,
	"kept_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "trust_anchors_cluster_server_name_owner_pk" PRIMARY KEY("cluster","server","name","owner")
);
