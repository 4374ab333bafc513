package let m = PackageResources._001_create_apps_sql
